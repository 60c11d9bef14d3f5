// Door of the certification room: counterparties certify their OMS at a desk with a gateway and an exchange of its own.

export { junitOf } from './card/junit.ts';
export {
  certificateFault,
  readScorecard,
  type Scorecard,
  type ScorecardContent,
  scorecardContent,
} from './card/scorecard.ts';
export { scorecardPage } from './card/scorecard-page.ts';
export { certificationKey, publicKeyOf, signed } from './card/signature.ts';
export { briefView, type CaseView, type DeskView, totalsInWords } from './desk/desk-view.ts';
export { isolatedConfig } from './desk/isolated-config.ts';
export { rulesVersion } from './desk/suite-files.ts';
export { CertificationHost, type DeskThreadData } from './host/certification-host.ts';
export { certificationName } from './host/certification-name.ts';
export type { Certifications, DeskRequest, FromDesk, ToDesk } from './host/desk-request.ts';
export { certificationFolder, openDesk } from './host/open-desk.ts';
export { decidingStep } from './run/case-result.ts';
export { GROUP_TITLES, GROUPS } from './suite/features.ts';
export { profileFrom, QUESTIONS } from './suite/profile.ts';
