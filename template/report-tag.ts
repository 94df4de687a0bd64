import type { Item, ReportParameter, TagCompiler } from './contracts.ts';
import { Problem } from './errors.ts';
import type { Scope } from './scope.ts';
import type { TagToken } from './tokens.ts';

/**
 * {% report "name" %} shows the first value a saved report gives; {% report "name" with days=7 as rows %} … {% endreport %} gives its rows to
 * what stands inside. Its parameters are written in the template, so one reading serves the whole mailing.
 */
export function reportTag(compiler: TagCompiler, tag: TagToken, scope: Scope): Item {
  const reader = compiler.reader(tag, scope);
  const name = reader.text();
  const parameters: Record<string, ReportParameter> = {};
  if (reader.take('with')) {
    while (reader.rest !== '' && !/^as\s/.test(reader.rest)) {
      const parameter = reader.name();
      if (!reader.take('=')) throw new Problem(`“=” was expected after “${parameter}”`);
      parameters[parameter] = reader.constant();
    }
  }
  const inside = scope.inner();
  const slot = reader.take('as') ? inside.add(reader.name()) : null;
  reader.end();
  const rows = compiler.report(name, parameters);
  if (slot === null) {
    const [row] = rows;
    const value = row && Object.values(row)[0];
    return compiler.shown(() => value, false);
  }
  const { body } = compiler.block(inside, tag, ['endreport']);
  return {
    piece: (frame) => {
      frame.locals[slot] = rows;
      body.piece(frame);
    },
    weight: 1 + body.weight,
    constant: false,
  };
}
