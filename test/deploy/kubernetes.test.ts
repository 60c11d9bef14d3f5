// The kustomize base of deploy/: its manifests keep to the schemas of Kubernetes and have no key that Kubernetes does not
// know, names that refer to each other agree, and the gateway takes its configuration.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfiguration } from '../../src/ops/whole-ops.ts';
import { describeWith, tool } from '../support/requirement.ts';
import { DEPLOY } from './monitoring.ts';

const BASE = join(DEPLOY, 'kubernetes');
/** Kinds of the base: how they are validated, and the type that knows their keys. */
const KINDS = {
  Service: { model: Service, module: 'kubernetes-models/v1/Service' },
  ConfigMap: { model: ConfigMap, module: 'kubernetes-models/v1/ConfigMap' },
  ServiceAccount: { model: ServiceAccount, module: 'kubernetes-models/v1/ServiceAccount' },
  StatefulSet: { model: StatefulSet, module: 'kubernetes-models/apps/v1/StatefulSet' },
  NetworkPolicy: { model: NetworkPolicy, module: 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy' },
} as const;

interface Manifest {
  readonly kind: keyof typeof KINDS;
  readonly metadata: { readonly name: string };
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly { readonly name: string; readonly files: readonly string[] }[];
}

const kustomization = parse(readFileSync(join(BASE, 'kustomization.yaml'), 'utf8')) as Kustomization;
const manifests = kustomization.resources.flatMap((file) =>
  parseAllDocuments(readFileSync(join(BASE, file), 'utf8')).map((document) => document.toJS() as Manifest),
);

/** Errors of TypeScript for these objects as literals of their kinds: an unknown key is one. */
function typeErrors(objects: readonly Manifest[]): string[] {
  const file = join(import.meta.dirname, 'manifests-as-types.ts');
  const source = objects.map(({ kind, ...rest }, i) => {
    const type = `import('${KINDS[kind].module}').I${kind}`;
    return `export const m${i}: ${type} = ${JSON.stringify({ kind, ...rest })};`;
  });
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, version) =>
    name === file
      ? ts.createSourceFile(name, source.join('\n'), ts.ScriptTarget.ESNext)
      : getSourceFile.call(host, name, version);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

test('each file of the folder belongs to the base', () => {
  const named = [...kustomization.resources, ...kustomization.configMapGenerator.flatMap(({ files }) => files)];
  const there = readdirSync(BASE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
  expect(there.filter((name) => name !== 'kustomization.yaml').toSorted()).toEqual(named.toSorted());
});

test.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
  '%s keeps to the schema of Kubernetes',
  (_, manifest) => {
    const { model } = KINDS[manifest.kind];
    new model(manifest as never).validate();
  },
);

test('no manifest has a key that Kubernetes does not know', () => {
  expect(typeErrors(manifests)).toEqual([]);
  const [account] = manifests;
  const planted = { ...account!, automountToken: false };
  expect(typeErrors([planted]).join()).toContain('"automountToken"');
});

test('selectors, names of ports and volumes agree', () => {
  const set = manifests.find(({ kind }) => kind === 'StatefulSet') as unknown as StatefulSet;
  const { spec } = set;
  const labels = { 'app.kubernetes.io/name': 'crossgate' };
  expect(spec!.selector.matchLabels).toEqual(labels);
  expect(spec!.template.metadata!.labels).toEqual(labels);
  const [container] = spec!.template.spec!.containers;
  const ports = container!.ports!.map(({ name }) => name);
  const services = manifests.filter(({ kind }) => kind === 'Service') as unknown as Service[];
  expect(services.map(({ metadata }) => metadata!.name)).toContain(spec!.serviceName);
  for (const service of services) {
    expect(service.spec!.selector).toEqual(labels);
    for (const { targetPort } of service.spec!.ports!) expect(ports).toContain(targetPort);
  }
  const volumes = [...spec!.template.spec!.volumes!, ...spec!.volumeClaimTemplates!.map(({ metadata }) => metadata!)];
  expect(container!.volumeMounts!.map(({ name }) => name).toSorted()).toEqual(
    volumes.map(({ name }) => name).toSorted(),
  );
});

test('the gateway takes the configuration of the base without a problem', () => {
  const { problems } = loadConfiguration({
    directory: join(BASE, 'config'),
    environment: {},
    workingDirectory: '/nowhere',
  });
  expect(problems).toEqual([]);
});

describeWith(await tool('kubectl', ['version', '--client'], 'kubectl'), 'rendered by kubectl', () => {
  test('the base keeps to the schemas, and its pod mounts the generated configuration', () => {
    const text = execFileSync('kubectl', ['kustomize', BASE], { encoding: 'utf8' });
    const rendered = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
    for (const manifest of rendered) new KINDS[manifest.kind].model(manifest as never).validate();
    expect(typeErrors(rendered)).toEqual([]);
    const configMap = rendered.find(({ kind }) => kind === 'ConfigMap') as unknown as ConfigMap;
    const set = rendered.find(({ kind }) => kind === 'StatefulSet') as unknown as StatefulSet;
    expect(Object.keys(configMap.data!).toSorted()).toEqual(['ACME_OMS.yaml', 'defaults.yaml', 'gateway.yaml']);
    const mounted = set.spec!.template.spec!.volumes!.flatMap((volume) => volume.configMap?.name ?? []);
    expect(mounted).toEqual([configMap.metadata!.name]);
    expect(set.spec!.template.spec!.containers[0]!.image).toBe('crossgate:local');
  });
});
