import Papa from 'papaparse';

/** Rows of a file at most. */
export const MAX_ROWS = 10_000;
/** More columns than any spreadsheet of records has. */
export const MAX_COLUMNS = 1_000;
/** Bytes; more than ten thousand rows of a thousand characters. */
export const MAX_BYTES = 20_000_000;

/** A file as it was read. */
export interface CsvFile {
  readonly name: string;
  readonly delimiter: string;
  readonly columns: readonly string[];
  /** Each as long as the columns. */
  readonly rows: readonly (readonly string[])[];
  /** The row, counted from one, whose quotation mark swallows what follows. */
  readonly openQuote: number | undefined;
}

/** UTF-8 and UTF-16 with a mark, UTF-8 without one; what is neither was written by a program of Windows. */
export function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  const text = new TextDecoder().decode(bytes);
  // What is no UTF-8 becomes this sign.
  return text.includes('\uFFFD') ? new TextDecoder('windows-1252').decode(bytes) : text;
}

/** The first row names the columns. */
export function readCsv(name: string, text: string): CsvFile {
  const { data, meta, errors } = Papa.parse<string[]>(text, {
    skipEmptyLines: 'greedy',
    // One that names the columns, and one too many.
    preview: MAX_ROWS + 2,
    delimitersToGuess: [',', ';', '\t'],
  });
  const quote = errors.find(({ type }) => type === 'Quotes');
  const [columns = [], ...rows] = data.map((cells) => cells.map((cell) => plain(cell.trim())));
  return {
    ...{ name, delimiter: meta.delimiter, columns },
    // Each row is filled up to the columns, so too many of these would be multiplied.
    rows: columns.length > MAX_COLUMNS ? [] : rows.map((cells) => columns.map((_, index) => cells[index] ?? '')),
    openQuote: quote && (quote.row ?? 0) + 1,
  };
}

/** What {@link writeCsv} has marked is read as it was. */
const plain = (cell: string): string => (/^'[=+\-@]/.test(cell) ? cell.slice(1) : cell);

/** A file for spreadsheets: what would be a formula in one begins with an apostrophe. */
export const writeCsv = (rows: readonly (readonly string[])[], delimiter: string): string =>
  `\uFEFF${Papa.unparse(
    rows.map((cells) => [...cells]),
    { delimiter, escapeFormulae: /^[=+\-@\t\r].*$/s },
  )}\r\n`;
