import { catalogue, plural } from '@crm/ui';
import type { CellFault } from './csv-values.js';

const en = (count: number) => plural('en', count, { one: '# record', other: '# records' });
const de = (count: number) => plural('de', count, { one: '# Datensatz', other: '# Datensätze' });

const numberEn = (rows: number) => new Intl.NumberFormat('en').format(rows);
const numberDe = (rows: number) => new Intl.NumberFormat('de').format(rows);

const FAULTS: Record<CellFault, string> = {
  notANumber: 'not a number',
  notADate: 'not a date',
  notAYes: 'neither yes nor no',
  noOption: 'not one of the options',
  noPerson: 'nobody of the workspace',
  notAnId: 'not the id of a record',
};
const FEHLER: typeof FAULTS = {
  notANumber: 'keine Zahl',
  notADate: 'kein Datum',
  notAYes: 'weder ja noch nein',
  noOption: 'keine der Optionen',
  noPerson: 'niemand im Arbeitsbereich',
  notAnId: 'keine Id eines Datensatzes',
};

export const IMPORT_TEXTS = catalogue({
  en: {
    title: (objects: string) => `Import ${objects}`,
    drop: 'Drop a CSV file here, or choose one',
    dropText: (rows: number) =>
      `Up to ${numberEn(rows)} rows, whose first one names the columns. Commas, semicolons or tabs, as spreadsheets save it.`,
    tooLong: (rows: number) =>
      `The file has more than ${numberEn(rows)} rows. Divide it, and import the parts one after the other.`,
    tooWide: (columns: number) =>
      `The file has more than ${numberEn(columns)} columns. Leave out those that you do not need.`,
    tooLarge: 'The file is larger than 20 MB.',
    empty: 'The file has no rows below its first one.',
    openQuote: (row: number) =>
      `Row ${row}: a quotation mark is not closed, or stands in a text without being doubled. Correct it in the file.`,
    columns: 'Columns',
    columnsText: 'Choose the field of each column. Columns without a field are left out.',
    fieldOf: (column: string) => `Field of ${column}`,
    skip: '— leave out —',
    missing: (fields: string) => `Every record needs: ${fields}`,
    preview: 'What the first rows become',
    faults: FAULTS,
    people: 'Looking for the people that are named …',
    start: (count: number) => `Import ${en(count)}`,
    other: 'Choose another file',
    running: 'Records are being imported',
    leaveTitle: 'Cancel the import?',
    leaveText: 'Leaving this page ends the import. What is imported already stays; the other rows are left out.',
    leave: 'Leave the page',
    created: (count: number) => `${en(count)} imported`,
    refused: (count: number) => plural('en', count, { one: '# row was refused', other: '# rows were refused' }),
    cancelled: (count: number) =>
      plural('en', count, { one: '# row was not imported', other: '# rows were not imported' }),
    download: 'Download these rows with the reasons',
    more: (count: number) => `and ${count} more, all of them in the file`,
    row: (number: number) => `Row ${number}`,
    reason: 'Reason',
    again: 'Go on',
    list: (objects: string) => `Show ${objects}`,
  },
  de: {
    title: (objects) => `${objects} importieren`,
    drop: 'CSV-Datei hier ablegen oder auswählen',
    dropText: (rows) =>
      `Bis zu ${numberDe(rows)} Zeilen, deren erste die Spalten benennt. Kommas, Semikolons oder Tabulatoren, wie Tabellenprogramme sie speichern.`,
    tooLong: (rows) =>
      `Die Datei hat mehr als ${numberDe(rows)} Zeilen. Teilen Sie sie, und importieren Sie die Teile nacheinander.`,
    tooWide: (columns) =>
      `Die Datei hat mehr als ${numberDe(columns)} Spalten. Lassen Sie weg, was Sie nicht brauchen.`,
    tooLarge: 'Die Datei ist größer als 20 MB.',
    empty: 'Die Datei hat unter der ersten keine weiteren Zeilen.',
    openQuote: (row) =>
      `Zeile ${row}: Ein Anführungszeichen ist nicht geschlossen oder steht unverdoppelt in einem Text. Berichtigen Sie es in der Datei.`,
    columns: 'Spalten',
    columnsText: 'Wählen Sie zu jeder Spalte das Feld. Spalten ohne Feld werden ausgelassen.',
    fieldOf: (column) => `Feld zu ${column}`,
    skip: '— auslassen —',
    missing: (fields) => `Jeder Datensatz braucht: ${fields}`,
    preview: 'Was aus den ersten Zeilen wird',
    faults: FEHLER,
    people: 'Die genannten Personen werden gesucht …',
    start: (count) => `${de(count)} importieren`,
    other: 'Andere Datei auswählen',
    running: 'Datensätze werden importiert',
    leaveTitle: 'Import abbrechen?',
    leaveText:
      'Wer diese Seite verlässt, beendet den Import. Was schon importiert ist, bleibt; die übrigen Zeilen werden ausgelassen.',
    leave: 'Seite verlassen',
    created: (count) => `${de(count)} importiert`,
    refused: (count) => plural('de', count, { one: '# Zeile wurde abgelehnt', other: '# Zeilen wurden abgelehnt' }),
    cancelled: (count) =>
      plural('de', count, { one: '# Zeile wurde nicht importiert', other: '# Zeilen wurden nicht importiert' }),
    download: 'Diese Zeilen mit den Gründen herunterladen',
    more: (count) => `und ${count} weitere, alle in der Datei`,
    row: (number) => `Zeile ${number}`,
    reason: 'Grund',
    again: 'Fortsetzen',
    list: (objects) => `${objects} anzeigen`,
  },
});
