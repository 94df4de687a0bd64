import type { IConfiguration, IForbiddenRuleType } from 'dependency-cruiser';

// Which room may import which; docs/architecture.md says what stands in each. No file imports itself by way of others. `npm run arrows` checks both.

/** What each room may import beside itself and packages. Rooms that are not listed (processes, commands, tests, benches) may import everything. */
const ARROWS: Record<string, string[]> = {
  // What others take away and run by itself.
  clients: [],
  config: [],
  domain: [],
  template: ['domain'],
  db: ['config', 'domain'],
  migrations: ['db', 'domain', 'entities'],
  entities: ['config', 'db', 'domain', 'migrations'],
  mail: ['domain', 'template'],
  // A backup says which migrations it was taken after.
  core: ['config', 'db', 'domain', 'entities', 'mail', 'migrations/index.ts', 'template'],
  workflows: ['domain'],
  activities: [
    'config',
    'core',
    'db',
    'domain',
    'entities',
    'mail',
    'workflows/contracts.ts',
    'workflows/rounds.ts',
    'workflows/silence.ts',
  ],
  api: ['config', 'core', 'db', 'domain', 'entities', 'mail', 'template', 'workflows/contracts.ts', 'workflows/rounds.ts'],
  console: ['api', 'config', 'core', 'db', 'domain', 'entities', 'mail', 'template', 'workflows/contracts.ts'],
};
const ROOMS = [...Object.keys(ARROWS), 'bench', 'bin', 'cli', 'embedded', 'test', 'tools'].join('|');
const places = (names: string[]) => `^(${names.map((name) => (name.endsWith('.ts') ? name : `${name}/`)).join('|')})`;

const arrows = Object.entries(ARROWS).map(
  ([room, allowed]): IForbiddenRuleType => ({
    name: `arrows of ${room}`,
    severity: 'error',
    from: { path: `^${room}/` },
    to: {
      path: `^(${ROOMS})/`,
      pathNot: places([room, ...allowed]),
      // Types are gone at run time: workflows name the activities they call by them.
      ...(room === 'workflows' && { dependencyTypesNot: ['type-only'] }),
    },
  }),
);

const config: IConfiguration = {
  forbidden: [
    ...arrows,
    {
      name: 'workflows take types of activities only',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: `^(${ROOMS})/`, pathNot: places(['workflows', 'domain', 'activities']) },
    },
    {
      name: 'core knows no workflows',
      severity: 'error',
      from: { path: '^(core|entities|db|mail|template|domain)/' },
      to: { path: 'node_modules/@temporalio/' },
    },
    {
      name: 'the database driver is imported in db only',
      severity: 'error',
      from: { pathNot: '^(db|test|bench|embedded|tools)/' },
      to: { path: 'node_modules/(pg|pg-copy-streams|@types/pg|@types/pg-copy-streams)/' },
    },
    {
      name: 'what is imported is named in package.json',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg'] },
    },
    {
      name: 'what runs in production needs no package of development',
      severity: 'error',
      from: { pathNot: '^(test/|bench/|tools/|config/arrows.ts|bin/docs.ts)' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm'] },
    },
    // Types count: two files that cannot be read without each other are one idea, or a third that both rest on.
    { name: 'no circle of imports', severity: 'error', from: {}, to: { circular: true } },
  ],
  // TypeScript's own parser is not offered by its present release.
  options: { parser: 'swc', tsPreCompilationDeps: true, doNotFollow: { path: 'node_modules' } },
};

export default config;
