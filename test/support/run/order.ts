/** To a process of tests: the file to run; none when there are no more. */
export interface Order {
  file?: string;
}

/** What came of a file. */
export interface FileResult {
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
  /** Megabytes on the heap after it, with what earlier files left. */
  heapMb: number;
  /** What the reporter printed. */
  listing: string;
}
