/** A place as editors count it: lines and columns from 1, columns in UTF-16 units. */
export interface LineColumn {
  line: number;
  column: number;
}

/** Finds the lines of a text; a line ends with LF, CR LF or CR. */
export class LineIndex {
  /** The offset of the first character of each line. */
  private readonly starts: number[] = [0];

  constructor(private readonly text: string) {
    for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) this.starts.push(index + end.length);
  }

  /** The line and column of an offset; the end of the text is a place too. */
  placeOf(offset: number): LineColumn {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.starts[low]! + 1 };
  }

  /** The text of a line without its end, or an empty text when there is no such line. */
  lineText(line: number): string {
    const start = this.starts[line - 1];
    return start === undefined
      ? ''
      : this.text.slice(start, this.starts[line] ?? this.text.length).replace(/[\r\n]+$/, '');
  }
}
