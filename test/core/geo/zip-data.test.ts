import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { centroidOf, zipCentroids } from '../../../core/geo/zip-centroids.ts';

const require = createRequire(import.meta.url);
const CENTROIDS = JSON.stringify(resolve('core/geo/zip-centroids.ts'));

/** What `work` takes in a process of its own that has done nothing before but `prepare`. */
function taken(prepare: string, work: string): { processor: number; memory: number } {
  const measured = `const taken = process.cpuUsage(before); const { rss } = process.memoryUsage();
    console.log(JSON.stringify({ processor: taken.user + taken.system, memory: rss - held }));`;
  const begun = 'const held = process.memoryUsage().rss; const before = process.cpuUsage();';
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', `${prepare} ${begun} ${work} ${measured}`], { encoding: 'utf8' }),
  );
}

describe('the public data of zips', () => {
  it('is all there is in the package for the United States', () => {
    const { codes } = require('zipcodes') as { codes: Record<string, { zip: string; city: string; state: string; country: string }> };
    const american = Object.values(codes).filter(({ country }) => country === 'US');
    assert.ok(american.length > 40_000 && zipCentroids().length > 40_000);
    for (const { zip, city, state } of american) {
      const found = centroidOf(zip);
      assert.deepEqual([found?.city, found?.state], [city, state], zip);
    }
  });

  it('is loaded in a part of the time and memory that the package takes, for which nobody else is answered', () => {
    const package_ = taken(
      `const { createRequire } = await import('node:module'); const require = createRequire(${CENTROIDS});`,
      `require('zipcodes');`,
    );
    const ours = taken(`const { centroidOf } = await import(${CENTROIDS});`, `centroidOf('12207');`);
    assert.ok(ours.processor < 0.7 * package_.processor, JSON.stringify({ ours, package_ }));
    assert.ok(ours.memory < 0.6 * package_.memory, JSON.stringify({ ours, package_ }));
  });
});
