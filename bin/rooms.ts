import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rewritten, sourceFiles } from '../tools/rooms.ts';
import { takeNothing } from './command.ts';

// npm run rooms: counts the rooms anew in docs/architecture.md.
takeNothing('npm run rooms');
const page = new URL('../docs/architecture.md', import.meta.url);
writeFileSync(page, rewritten(readFileSync(page, 'utf8'), sourceFiles(fileURLToPath(new URL('..', import.meta.url)))));
