/** Licences of packages that may go into what is run: none of them asks anything of the platform's own licence. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

interface Locked {
  dev?: boolean;
  license?: string;
}

/**
 * Packages of a lock file whose licence is not among those allowed, as `path: licence`. Packages for development alone are not looked at.
 * @param packages of package-lock.json
 * @param elsewhere licences of packages that name none in the lock file, by path
 */
export function wrongLicences(packages: Record<string, Locked>, elsewhere: Record<string, string> = {}): string[] {
  return Object.entries(packages).flatMap(([path, { dev, license = elsewhere[path] ?? 'none' }]) =>
    path === '' || dev || isAllowed(license) ? [] : [`${path}: ${license}`],
  );
}

/** One of those offered by `OR`; each of those joined by `AND`. */
function isAllowed(expression: string): boolean {
  const plain = expression.replace(/[()]/g, '');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((each) => ALLOWED.has(each.trim())));
}
