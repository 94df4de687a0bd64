import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { counted, longFiles, medianBytes, rewritten, rowsIn, sourceFiles } from '../../tools/rooms.ts';

describe('the rooms of the house', () => {
  const files = sourceFiles(fileURLToPath(new URL('../..', import.meta.url)));
  const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
  const rows = rowsIn(page);

  it('stand in docs/architecture.md, every one, about as large as they are', () => {
    const told = new Set(rows.flatMap(({ rooms }) => rooms));
    const untold = new Set(files.map(({ path }) => path.slice(0, path.indexOf('/'))).filter((room) => !told.has(room)));
    deepEqual(
      [...untold].sort(),
      ['bench', 'examples', 'test'].filter((room) => untold.has(room)),
    );
    for (const [index, room] of counted(rows, files).entries()) {
      const { lines } = rows[index]!;
      ok(Math.abs(lines - room.lines) <= 0.1 * room.lines + 50, `${room.rooms} have ${room.lines} lines, not ${lines}: npm run rooms`);
    }
  });

  it('have no file over 250 lines that does not say why, and files of 2.5 kB in the middle', () => {
    const silent = longFiles(files).filter(({ reason }) => reason === null);
    deepEqual(
      silent.map(({ path, lines }) => `${path}: ${lines} lines`),
      [],
    );
    ok(medianBytes(files) < 2_560, `${medianBytes(files)} bytes`);
    const told = longFiles(files).filter(({ path }) => !page.includes(`\`${path}\``));
    deepEqual(told, [], 'npm run rooms');
  });

  it('hold no statement where none may stand', () => {
    const rooms = /^(api|activities|workflows|mail|console|template)\//;
    // Not the kit's own, which is made of declarations, nor the expressions in them: subqueries in parentheses, and conditions.
    const statement = /[`']\s*(select\s|with\s+\w+\s+as\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|merge\s+into\s)/;
    const found = files.filter(
      ({ path }) => rooms.test(path) && statement.test(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')),
    );
    deepEqual(
      found.map(({ path }) => path),
      [],
    );
  });

  it('are counted into the page without touching anything else', () => {
    const again = rewritten(rewritten(page, files), files);
    deepEqual(rewritten(page, files), again);
    const words = (text: string) => text.replace(/\| \d+ \| \d+ \|$/gm, '').replace(/<!-- long files -->.*<!-- \/long files -->/s, '');
    deepEqual(words(again), words(page));
  });

  it('are gone through on ways whose files and names are there', () => {
    const ways = page.slice(page.indexOf('## Five ways'), page.indexOf('\n## ', page.indexOf('## Five ways') + 1));
    const stays = ways.split('\n').filter((line) => /^\d+\. /.test(line));
    ok(stays.length > 30, ways);
    for (const line of stays) {
      const words = [...line.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
      const texts = words
        .filter((word) => word.endsWith('.ts'))
        .map((path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
      ok(texts.length > 0, line);
      const names = words.filter((word) => /^\w+$/.test(word));
      for (const name of names)
        ok(
          texts.some((text) => new RegExp(`export [^\\n]*\\b${name}\\b`).test(text)),
          `${name}: ${line}`,
        );
    }
  });
});
