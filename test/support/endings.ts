// What a test process started and must end. Servers are started on first use and shared by all files of one mocha process.

const endings: (() => unknown)[] = [];

/** Runs `end` when all tests are over, the last one registered first. */
export function atEnd(end: () => unknown): void {
  endings.push(end);
}

/** Loaded by .mocharc.json. */
export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(240_000);
    for (const end of endings.splice(0).reverse()) await end();
  },
};

/** `make` is run on the first call only; everybody gets the same promise. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
