/** Runs a program where it is what Node was started with, and not imported. The process exits with 1 unless `main` resolves with another code.
 * @param file such as `seed.js` */
export function runProgram(file: string, main: (args: string[]) => Promise<number>): void {
  if (!process.argv[1]?.endsWith(file)) return;
  process.exitCode = 1;
  void main(process.argv.slice(2)).then((code) => {
    process.exitCode = code;
  });
}
