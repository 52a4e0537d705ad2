import { isDeepStrictEqual } from 'node:util';
import { compileFieldFormulas, type FieldDefinition } from '@crm/fields';
import type { GeneratedObject } from './object.js';
import { isRecordNumber } from './values.js';

export type Values = Readonly<Record<string, unknown>>;

const allows = (listed: readonly string[] | undefined, roles: readonly string[]): boolean =>
  !listed || listed.length === 0 || listed.some((role) => roles.includes(role));

/**
 * What the observer of a world may see of an object, decided by the definition alone and without the code that is tested:
 * what is hidden from them, and what an exposed formula tells them of it all the same.
 */
export class Visibility {
  private readonly readable = new Set<string>();
  private readonly formulas: ReturnType<typeof compileFieldFormulas>;

  constructor(
    private readonly object: GeneratedObject,
    private readonly roles: readonly string[],
  ) {
    // A formula reads earlier fields only.
    for (const field of object.fields) {
      const reads = object.reads.get(field.apiName) ?? [];
      const derivesFromReadable = field.exposes === true || reads.every((name) => this.readable.has(name));
      if (allows(field.readRoles, roles) && derivesFromReadable) this.readable.add(field.apiName);
    }
    this.formulas = compileFieldFormulas(object.fields);
  }

  isHidden(field: FieldDefinition): boolean {
    return !this.readable.has(field.apiName);
  }

  /** Whether the definition lets the observer write a field. That a unique one is written by its readers only comes on top. */
  isWritable(field: FieldDefinition): boolean {
    return field.type !== 'formula' && allows(field.writeRoles, this.roles);
  }

  /**
   * The hidden fields that must have the same values in both states, because a readable formula exposes something of them
   * that differs, or that the observer could make differ by writing another field that it reads.
   */
  exposedDifferences(left: Values, right: Values): string[] {
    const clock = { now: new Date(), timeZone: 'Europe/Berlin' };
    const evaluate = this.formulas.evaluatorOf(new Set(this.formulas.order));
    const [shownLeft, shownRight] = [left, right].map((given) => {
      const values = asTexts(given);
      evaluate(values, clock);
      return values;
    }) as [Values, Values];
    const fields = new Map(this.object.fields.map((field) => [field.apiName, field]));
    const exposed = this.object.fields
      .filter(({ apiName, type }) => type === 'formula' && this.readable.has(apiName))
      .flatMap(({ apiName }) => {
        const inputs = this.plainInputs(apiName).map((name) => fields.get(name) as FieldDefinition);
        const agrees = isDeepStrictEqual(shownLeft[apiName], shownRight[apiName]);
        return agrees && !inputs.some((input) => this.isWritable(input)) ? [] : inputs;
      });
    return exposed
      .filter((field) => this.isHidden(field) && !isDeepStrictEqual(left[field.apiName], right[field.apiName]))
      .map(({ apiName }) => apiName);
  }

  private plainInputs(name: string): string[] {
    const reads = this.object.reads.get(name);
    return reads === undefined ? [name] : reads.flatMap((input) => this.plainInputs(input));
  }
}

/** References are texts in formulas. */
const asTexts = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isRecordNumber(value) ? `record ${value.record}` : value]),
  );
