/** A set of 64-bit numbers, given as two halves: eight bytes an entry at two thirds full, so that a million take 16 MB. */
export class HashSet64 {
  #slots = new Uint32Array(2 * 4096);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** What it takes up. */
  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** @returns whether it is new */
  add(high: number, low: number): boolean {
    if (this.#size * 3 > this.#slots.length) this.#grow();
    // Two zeros mark a free slot.
    const added = place(this.#slots, high >>> 0, low >>> 0 || 1);
    if (added) this.#size++;
    return added;
  }

  clear(): void {
    this.#slots = new Uint32Array(2 * 4096);
    this.#size = 0;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += 2) if (old[at + 1] !== 0) place(this.#slots, old[at]!, old[at + 1]!);
  }
}

function place(slots: Uint32Array, high: number, low: number): boolean {
  const mask = slots.length / 2 - 1;
  for (let slot = (low ^ (high >>> 7)) & mask; ; slot = (slot + 1) & mask) {
    const at = slot * 2;
    if (slots[at + 1] === 0) {
      slots[at] = high;
      slots[at + 1] = low;
      return true;
    }
    if (slots[at] === high && slots[at + 1] === low) return false;
  }
}
