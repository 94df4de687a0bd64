import { InputError, PushError } from '../../../domain/errors.ts';
import { AmountError, type Money, readAmount } from '../../../domain/money.ts';
import { isEmptyList, readShortText } from '../../../domain/values.ts';

/** What is wrong with a push, gathered over all of its objects so that one answer names everything. */
export class PushProblems {
  /** By input object, then by field. */
  readonly #setup: Record<string, Record<string, string[]>> = {};
  #amount: string | null = null;

  add(object: string, field: string, message: string): void {
    const fields = this.#setup[object] ?? {};
    fields[field] = [...(fields[field] ?? []), message];
    this.#setup[object] = fields;
  }

  /** What is a text and no amount comes up in processing. */
  addAmount({ message }: AmountError): void {
    this.#amount = `amount ${message}.`;
  }

  /**
   * @param flat name of the one object whose messages stand alone, by field
   * @throws PushError for what is wrong with the set-up, InputError for what comes up in processing
   */
  throwAny(flat?: string): void {
    if (Object.keys(this.#setup).length > 0) throw new PushError(flat ? this.#setup[flat]! : this.#setup);
    if (this.#amount !== null) throw new InputError({ 'amount:invalid': this.#amount });
  }
}

/** One object of a push, read field by field. An explicit null means not given, and so does an empty text: clients write one for what they have nothing to say about. */
export class PushObject {
  readonly name: string;
  readonly problems: PushProblems;
  readonly #given: Record<string, unknown>;

  constructor(name: string, given: unknown, problems: PushProblems) {
    this.name = name;
    this.problems = problems;
    const usable = typeof given === 'object' && given !== null && !Array.isArray(given);
    if (!usable && given !== undefined && given !== null && !isEmptyList(given)) this.wrong(name, `${name} must be an object.`);
    this.#given = usable ? (given as Record<string, unknown>) : {};
  }

  wrong(field: string, message: string): void {
    this.problems.add(this.name, field, message);
  }

  /** As it was sent; of an empty text, too. */
  raw(field: string): unknown {
    return Object.hasOwn(this.#given, field) ? (this.#given[field] ?? undefined) : undefined;
  }

  given(field: string): unknown {
    return unlessBlank(this.raw(field));
  }

  /** Everything given but the fields named. */
  rest(...without: string[]): Record<string, unknown> {
    return Object.fromEntries(Object.entries(this.#given).filter(([name, value]) => !without.includes(name) && value !== null));
  }

  /** @param how throws an Error whose message follows the field's name */
  read<Value>(field: string, how: (value: unknown) => Value): Value | null {
    return this.#read(field, this.given(field), how);
  }

  /** Where an empty text could be meant for no (a payment that failed, no lists): it is refused rather than taken for the default. */
  readNeverBlank<Value>(field: string, how: (value: unknown) => Value): Value | null {
    return this.#read(field, this.raw(field), how);
  }

  #read<Value>(field: string, value: unknown, how: (value: unknown) => Value): Value | null {
    if (value === undefined) return null;
    try {
      return how(value);
    } catch (error) {
      if (error instanceof InputError) this.wrong(field, Object.values(error.fields).flat().join(' '));
      else this.wrong(field, `${field} ${(error as Error).message}.`);
      return null;
    }
  }

  /** A short text, as all are but those in `fields`; absent, empty and blank are the same. */
  text(field: string): string {
    return this.read(field, readShortText) ?? '';
  }

  requiredText(field: string): string {
    if (this.given(field) === undefined) this.wrong(field, 'This field is required.');
    return this.text(field);
  }

  amount(): Money | null {
    const given = this.given('amount');
    if (given === undefined) return null;
    return readMoney(given, (message) => this.wrong('amount', `amount ${message}`), this.problems);
  }
}

/** Nothing where it is null or an empty text. */
export const unlessBlank = (value: unknown): unknown =>
  value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value;

/** An amount as text. What is no text is wrong with the set-up. */
export function readMoney(given: unknown, wrong: (message: string) => void, problems: PushProblems): Money | null {
  if (typeof given !== 'string') {
    wrong('must be a string like "10.00", never a bare number.');
    return null;
  }
  try {
    return readAmount(given);
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    problems.addAmount(error);
    return null;
  }
}

/** @param same words that mean one of them. @throws Error */
export function oneOf<const Words extends readonly string[]>(
  words: Words,
  same: Record<string, Words[number]> = {},
): (value: unknown) => Words[number] {
  return (value) => {
    const word = typeof value === 'string' && Object.hasOwn(same, value) ? same[value] : value;
    if (!words.includes(word as string)) throw new Error(`must be one of ${words.join(', ')}`);
    return word as Words[number];
  };
}

/** @throws Error */
export function currencyCode(value: unknown): string {
  const code = readShortText(value).toUpperCase();
  if (!/^[A-Z]{3}$/.test(code)) throw new Error('must be a three-letter ISO code');
  return code;
}
