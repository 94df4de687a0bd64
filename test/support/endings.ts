import { AsyncLocalStorage } from 'node:async_hooks';

// What tests started and must end: with their file, or, what is made `once` for all files of a process, with the last of them.

type End = () => unknown;
const ofFile: End[] = [];
const ofAll: End[] = [];
const forAll = new AsyncLocalStorage<true>();

/** Runs `end` when the tests of this file are over, the last one registered first; from within `once`, when all tests are. */
export function atEnd(end: End): void {
  (forAll.getStore() ? ofAll : ofFile).push(end);
}

/** Ends what the tests of a file left running. What ends earlier gives its memory, and the time it takes to wait for work, to those that come. */
export async function endFile(): Promise<void> {
  await run(ofFile);
}

async function run(endings: End[]): Promise<void> {
  for (const end of endings.splice(0).reverse()) await end();
}

/** Loaded by .mocharc.json. */
export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    await endFile();
    await run(ofAll);
  },
};

/** `make` is run on the first call only; everybody gets the same promise. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= forAll.run(true, make);
    return made;
  };
}
