import { Presets, SingleBar } from 'cli-progress';

export interface Step {
  update(done: number, note?: string): void;
  /** @param note said at the end of the line */
  end(note?: string): void;
}

/**
 * The steps of the demonstration as bars on a terminal; elsewhere, one line for each step when it has ended.
 * @param out where to; what machines read goes elsewhere
 */
export function openBars(out: NodeJS.WriteStream): (name: string, total: number) => Step {
  return (name, total) => {
    const title = name.padEnd(22);
    if (!out.isTTY) {
      return { update: () => {}, end: (note = '') => out.write(`${title} ${total}  ${note}\n`) };
    }
    const format = `${title} {bar} {percentage}%  {value}/{total}  {note}`;
    const bar = new SingleBar({ format, hideCursor: true, barsize: 32, stream: out, fps: 20, gracefulExit: false }, Presets.shades_classic);
    bar.start(Math.max(total, 1), 0, { note: '' });
    return {
      update: (done, note) => bar.update(Math.min(done, Math.max(total, 1)), note === undefined ? undefined : { note }),
      end: (note = '') => {
        bar.update(Math.max(total, 1), { note });
        bar.stop();
      },
    };
  };
}
