/** Shows the steps of a command as they happen: `[3/9] Building … 12.3 s (2 of 20 packages changed)`. */
export class Progress {
  #total;
  #output;
  #done = 0;

  /** @param {number} total how many steps there will be @param {NodeJS.WritableStream} [output] default: standard output */
  constructor(total, output = process.stdout) {
    this.#total = total;
    this.#output = output;
  }

  /** @template T @param {string} title what is being done, in the words of the reader
   * @param {() => Promise<T>} work a text that it resolves with is shown behind the time
   * @returns {Promise<T>} what the work resolves with; a failure ends the line with "failed" and is thrown on */
  async step(title, work) {
    this.#done += 1;
    const begun = performance.now();
    this.#output.write(`[${this.#done}/${this.#total}] ${title} … `);
    try {
      const result = await work();
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      this.#output.write(`${seconds} s${typeof result === 'string' ? ` (${result})` : ''}\n`);
      return result;
    } catch (error) {
      this.#output.write('failed\n');
      throw error;
    }
  }
}
