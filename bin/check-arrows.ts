import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ARROWS, wrongArrows } from '../config/arrows.ts';

// Fails when an import goes against the arrows of docs/architecture.md.
const root = dirname(import.meta.dirname);
const files = globSync(`{${Object.keys(ARROWS).join(',')}}/**/*.ts`, { cwd: root });
const wrong = wrongArrows(Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])));
console.log(wrong.length ? `Imports against the arrows:\n${wrong.join('\n')}` : `${files.length} files keep to the arrows`);
process.exitCode = wrong.length ? 1 : 0;
