import { Presets, SingleBar } from 'cli-progress';

export interface Step {
  update(done: number, note?: string): void;
  /** @param note said at the end of the line */
  end(note?: string): void;
}

export type Steps = (name: string, total: number) => Step;

/** Where the demonstration shows itself. */
export interface Stage {
  /** A line in between. */
  say(what: string): void;
  steps: Steps;
}

const CLEAR_LINE = '\r\x1b[K';

/**
 * The steps of the demonstration as bars on a terminal; elsewhere, one line for each step when it has ended.
 * @param out where to; what machines read goes elsewhere
 */
export function openStage(out: NodeJS.WriteStream): Stage {
  const say = (what: string) => out.write(`${out.isTTY ? CLEAR_LINE : ''}… ${what}\n`);
  const steps: Steps = (name, total) => {
    const title = name.padEnd(22);
    if (!out.isTTY) return { update: () => {}, end: (note = '') => out.write(`${title} ${total}  ${note}\n`) };
    const format = `${title} {bar} {percentage}%  {value}/{total}  {note}`;
    const bar = new SingleBar({ format, hideCursor: true, barsize: 32, stream: out, fps: 20, gracefulExit: false }, Presets.shades_classic);
    const most = Math.max(total, 1);
    bar.start(most, 0, { note: '' });
    return {
      update: (done, note) => bar.update(Math.min(done, most), note === undefined ? undefined : { note }),
      end: (note = '') => {
        bar.update(most, { note });
        bar.stop();
      },
    };
  };
  return { say, steps };
}
