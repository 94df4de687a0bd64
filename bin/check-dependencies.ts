import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { wrongLicences } from '../config/licences.ts';
import { takeNothing } from './command.ts';

// Fails when a package has a licence nobody allowed, or a known vulnerability of level high. Where the registry cannot be asked for the latter, it says so.
takeNothing('npm run dependencies');
const root = dirname(import.meta.dirname);
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
// Says it in its LICENSE file only.
const wrong = wrongLicences(packages, { 'node_modules/unionfs': 'Unlicense' });
console.log(
  wrong.length ? `Licences that are not allowed:\n${wrong.join('\n')}` : `${Object.keys(packages).length - 1} packages, licences allowed`,
);

const audit = spawnSync('npm', ['audit', '--omit=dev', '--audit-level=high', '--json'], { cwd: root, encoding: 'utf8' });
const report = JSON.parse(audit.stdout || '{}') as { vulnerabilities?: Record<string, { severity: string }> };
const found = Object.entries(report.vulnerabilities ?? {}).filter(([, { severity }]) => severity === 'high' || severity === 'critical');
if (!report.vulnerabilities) console.log('The registry could not be asked for known vulnerabilities');
else
  console.log(found.length ? `Known vulnerabilities: ${found.map(([name]) => name).join(', ')}` : 'No known vulnerability of level high');
process.exitCode = wrong.length || found.length ? 1 : 0;
