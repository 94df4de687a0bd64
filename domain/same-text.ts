import { timingSafeEqual } from 'node:crypto';

/** Whether what somebody sent is the hash or secret it should be; how long that takes does not tell how much of it is. */
export function sameText(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
