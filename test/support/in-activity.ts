import { MockActivityEnvironment } from '@temporalio/testing';

/** The same functions, each called as an activity: with a context that takes its heartbeats. */
export function inActivity<Activities extends object>(activities: Activities): Activities {
  const called =
    (name: string) =>
    (...given: unknown[]) =>
      new MockActivityEnvironment().run(
        (...args: unknown[]) => (activities as Record<string, (...a: unknown[]) => Promise<unknown>>)[name]!(...args),
        ...given,
      );
  return Object.fromEntries(Object.keys(activities).map((name) => [name, called(name)])) as Activities;
}
