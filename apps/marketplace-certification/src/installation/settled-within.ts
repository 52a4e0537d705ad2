/**
 * Waits a limited time for work that continues on its own.
 * @returns the result, or undefined when it is not there in time
 * @throws what the work throws in time; later errors are for the owner of the work to report
 */
export async function settledWithin<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
