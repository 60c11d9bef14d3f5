// The import table of the house (docs/ARCHITECTURE.md): which room may import which, checked on every test run.
// `test/house.test.ts` asserts that this configuration really read the sources.

const mayImport = {
  base: [],
  wire: ['base'],
  dictionary: ['base', 'wire'],
  session: ['base', 'wire', 'dictionary'],
  scenario: ['base', 'wire', 'dictionary'],
  exchange: ['base'],
  gateway: ['base', 'wire', 'dictionary', 'exchange'],
  store: ['base', 'session', 'gateway'],
  transport: ['base'],
  'exchange-client': ['base', 'exchange'],
  simulator: ['base', 'exchange'],
  bridge: ['base', 'exchange'],
  engine: ['base', 'wire', 'dictionary', 'session', 'store', 'transport'],
  runtime: [
    'base',
    'wire',
    'dictionary',
    'session',
    'scenario',
    'exchange',
    'gateway',
    'store',
    'transport',
    'exchange-client',
    'simulator',
    'bridge',
    'engine',
  ],
  administration: ['base', 'wire', 'dictionary', 'session', 'exchange', 'gateway', 'store', 'engine', 'runtime'],
  certification: ['base', 'wire', 'dictionary', 'scenario', 'engine', 'runtime', 'administration', 'simulator'],
  ops: ['base', 'dictionary', 'engine', 'runtime', 'administration', 'certification'],
  cluster: ['base', 'wire', 'session', 'transport', 'engine', 'exchange', 'store', 'runtime', 'administration', 'ops'],
  replay: ['base', 'wire', 'dictionary', 'session', 'scenario', 'gateway'],
  interop: ['base', 'wire', 'dictionary'],
};

const pure = ['base', 'wire', 'dictionary', 'session', 'scenario', 'exchange', 'gateway'];
const rooms = Object.keys(mayImport);

module.exports = {
  forbidden: [
    ...rooms.map((room) => ({
      name: `${room}-imports`,
      severity: 'error',
      comment: `${room} may import: ${mayImport[room].join(', ') || 'nothing'}`,
      from: { path: `^src/${room}/` },
      to: { path: '^src/', pathNot: `^src/(${[room, ...mayImport[room]].join('|')})/` },
    })),
    ...rooms
      .filter((room) => room !== 'base')
      .map((room) => ({
        name: `${room}-door`,
        severity: 'error',
        comment: `another room enters ${room} by its mod.ts only`,
        from: { path: '^src/', pathNot: `^src/${room}/` },
        to: { path: `^src/${room}/`, pathNot: `^src/${room}/mod\\.ts$` },
      })),
    {
      name: 'pure-rooms',
      severity: 'error',
      comment: 'pure rooms take time and answers as inputs: no node builtin',
      from: { path: `^src/(${pure.join('|')})/` },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'pure-rooms-packages',
      severity: 'error',
      comment:
        'pure rooms use no package, but for luxon in session/time/zone-clock.ts, saxes in dictionary/quickfix-elements.ts, and the types of typebox in base/schema.ts',
      from: {
        path: `^src/(${pure.join('|')})/`,
        pathNot: '^src/(session/time/zone-clock|dictionary/quickfix-elements|base/schema)\\.ts$',
      },
      to: { path: 'node_modules' },
    },
    {
      name: 'jspurefix-stays-in-interop',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/interop/' },
      to: { path: 'node_modules/jspurefix' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'no file needs one that needs it, not even for its types: what both need stands in a third',
      from: {},
      to: { circular: true },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
