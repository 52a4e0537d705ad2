/** A position as editors count it: lines and columns from 1, columns in UTF-16 units. */
export interface LineColumn {
  line: number;
  column: number;
}

/** Finds the lines of a text; a line ends with LF, CR LF or CR. */
export class LineIndex {
  private known: readonly number[] | undefined;

  constructor(private readonly text: string) {}

  /** The offset of the first character of each line; computed on demand, since a valid text does not need it. */
  private get starts(): readonly number[] {
    this.known ??= startsOf(this.text);
    return this.known;
  }

  /** The line and column of an offset, which may be the end of the text. */
  placeOf(offset: number): LineColumn {
    const { starts } = this;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  }

  /** The text of a line without its line break, or an empty string when there is no such line. */
  lineText(line: number): string {
    const start = this.starts[line - 1];
    return start === undefined
      ? ''
      : this.text.slice(start, this.starts[line] ?? this.text.length).replace(/[\r\n]+$/, '');
  }
}

/** Scans code units instead of using a pattern: a text may have millions of lines. */
function startsOf(text: string): number[] {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) starts.push(at + 1);
  }
  return starts;
}
