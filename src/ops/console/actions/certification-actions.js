// @ts-check
// Actions of an operator on a certification: ask what the OMS can do, play cases, stop. certifications.js shows how it goes.
import { h } from 'preact';
import * as api from '../api.js';
import { post } from './dialog.js';

/** @typedef {import('./dialog.js').Action} Action */

/** @param {string} name */
const at = (name) => `/api/certifications/${encodeURIComponent(name)}`;
const DONE = 'The page shows each step as it comes.';

/** The interview, as `crossgate certification profile` asks it. @param {string} name @returns {Action} */
export function interview(name) {
  return {
    title: `What the OMS of ${name} can do`,
    isWide: true,
    load: async () => {
      const { questions, can, hasProfile } = await api.interview(name);
      const fields = [
        ...questions.map(({ feature, text }) =>
          h(
            'label',
            { class: 'choice', key: feature },
            h('input', {
              type: 'checkbox',
              name: 'can',
              value: feature,
              defaultChecked: hasProfile ? can.includes(feature) : feature !== 'drop-copy',
            }),
            text,
          ),
        ),
        h(
          'label',
          { key: 'answerSeconds' },
          h('span', null, 'Seconds in which the OMS, or its user, does what a case asks'),
          h('input', { class: 'box', type: 'number', name: 'answerSeconds', min: 1, max: 3600, defaultValue: 120 }),
        ),
      ];
      return {
        effects: ['The answers decide which cases are mandatory. Cases that were played keep their verdicts.'],
        fields,
      };
    },
    button: 'Keep the answers',
    needsNoWhy: true,
    run: (_why, form) =>
      post(
        `${at(name)}/interview`,
        { can: form.getAll('can').map(String), answerSeconds: Number(form.get('answerSeconds')) },
        form,
      ),
  };
}

/** @param {string} name @returns {Action} */
export function startCases(name) {
  return {
    title: `Play the open cases of ${name}`,
    effects: [
      'The mandatory cases that are not passed are played one after the other.',
      'The OMS, or its user, is asked for each step.',
    ],
    button: 'Play them',
    needsNoWhy: true,
    run: (_why, form) => done(post(`${at(name)}/start`, {}, form)),
  };
}

/** @param {string} name @returns {Action} */
export function stopCases(name) {
  return {
    title: `Stop the certification of ${name}`,
    effects: ['The case under way ends without a verdict; those that wait are not played.'],
    button: 'Stop',
    needsNoWhy: true,
    run: (_why, form) => done(post(`${at(name)}/stop`, {}, form)),
  };
}

/** @param {string} name @param {string} caseId @returns {Action} */
export function playCase(name, caseId) {
  return {
    title: `Play ${caseId} of ${name}`,
    effects: ['Its verdict takes the place of an earlier one.'],
    button: 'Play it',
    needsNoWhy: true,
    run: (_why, form) => done(post(`${at(name)}/run`, { case: caseId }, form)),
  };
}

/** The answer is the whole desk, which the page shows anyway. @param {Promise<unknown>} answer */
async function done(answer) {
  await answer;
  return { text: DONE };
}
