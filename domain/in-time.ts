/** What is answered, or `late` when it is not within so many milliseconds. What is still being answered then is not called off. */
export async function inTime<Answer, Late>(asked: Promise<Answer>, withinMs: number, late: Late): Promise<Answer | Late> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<Late>((resolve) => {
    timer = setTimeout(resolve, withinMs, late);
  });
  return Promise.race([asked, over]).finally(() => clearTimeout(timer));
}
