/** What a worker process has in hand just now, each with what it is told by: whoever lets others in asks it who is there. */
export class Held<Place> {
  readonly #places: Place[] = [];

  /** All of them, in the order they were begun. */
  get places(): readonly Place[] {
    return this.#places;
  }

  /** How many of them are of that kind. */
  count(isOfIt: (place: Place) => boolean): number {
    return this.#places.filter(isOfIt).length;
  }

  /** Has `place` for as long as `work` takes, however that ends. */
  async during<Result>(place: Place, work: () => Promise<Result>): Promise<Result> {
    this.#places.push(place);
    try {
      return await work();
    } finally {
      this.#places.splice(this.#places.indexOf(place), 1);
    }
  }
}
