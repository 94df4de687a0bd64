import Mocha from 'mocha';

/** Mocha's own listing, closed by one plain line that says how it went. */
export default class Reporter extends Mocha.reporters.Spec {
  override done(failures: number, exit: (failures: number) => void): void {
    const { passes, failures: failed, pending } = this.stats as Mocha.Stats;
    console.log(`${passes} passed, ${failed} failed${pending ? `, ${pending} skipped` : ''}`);
    exit(failures);
  }
}
