import { dirname, join } from 'node:path';

// Which folder may import which. Anything else is a wrong arrow.
const SHARED = ['domain', 'config'];
const STORED = [...SHARED, 'entities'];
export const ARROWS: Record<string, string[]> = {
  domain: [],
  config: [],
  entities: [...SHARED, 'migrations'],
  migrations: STORED,
  mail: SHARED,
  workflows: ['domain'],
  activities: [...STORED, 'mail', 'workflows/contracts.ts'],
  api: [...STORED, 'mail', 'workflows/contracts.ts'],
};
/** Types are gone at run time: workflows name the activities they call by them. */
const TYPE_ARROWS: Record<string, string[]> = { workflows: ['activities'] };

const IMPORT =
  /^(?:import|export)\s+(?:(?<type>type\s)?[^'"]*?from\s+)?['"](?<from>\.[^'"]+)['"]|import\(\s*['"](?<dynamic>\.[^'"]+)['"]/gm;

/**
 * The imports in `files` that go against the arrows, as `from → to`.
 * @param files source texts by path, relative to the project
 */
export function wrongArrows(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([file, source]) => {
    const home = file.split('/')[0]!;
    if (!ARROWS[home]) return [];
    const targets = [...source.matchAll(IMPORT)].map(({ groups }) => ({
      to: join(dirname(file), groups!['from'] ?? groups!['dynamic']!),
      type: groups!['type'],
    }));
    const allowed = (type?: string) => [`${home}/`, ...ARROWS[home]!, ...((type && TYPE_ARROWS[home]) || [])];
    return targets.filter(({ to, type }) => !allowed(type).some((place) => to.startsWith(place))).map(({ to }) => `${file} → ${to}`);
  });
}
