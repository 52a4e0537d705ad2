export type TemplateErrorCode = 'TEMPLATE' | 'TEMPLATE_TOO_LARGE';

/** A malformed template, a value that is not allowed at its place, or a result that is too long. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(
    message: string,
    readonly code: TemplateErrorCode = 'TEMPLATE',
  ) {
    super(message);
  }
}

/**
 * How much templates may give, in UTF-16 units. A value that is filled in a thousand times would otherwise end the process:
 * 10 KB of `{{p}}` and a payload of 250 KB make a text of 500 MB.
 */
export const TEMPLATE_LIMITS = {
  /** Characters of one text: the longest payload of a hook call, which has 256 KiB, can be passed on as a whole. */
  characters: 256 * 1024,
  /** Characters of all texts and values of one step: half of what a message between services may have (1 MiB), before escapes. */
  stepCharacters: 512 * 1024,
} as const;

/**
 * What the templates of one step may still give. Everything is counted before it is made or joined to a result, so that no
 * more than the limits is ever in memory.
 */
export class TemplateBudget {
  private left: number;

  /** @param limits in UTF-16 units */
  constructor(private readonly limits: { characters: number; stepCharacters: number } = TEMPLATE_LIMITS) {
    this.left = limits.stepCharacters;
  }

  /** Begins a text, or a value that is passed on as a whole. */
  begin(): TemplateAllowance {
    return new TemplateAllowance(this.limits.characters, (characters) => this.take(characters));
  }

  private take(characters: number): void {
    this.left -= characters;
    if (this.left < 0) {
      const detail = `The templates of the step give more than ${this.limits.stepCharacters} characters.`;
      throw new TemplateError(detail, 'TEMPLATE_TOO_LARGE');
    }
  }
}

export class TemplateAllowance {
  private taken = 0;

  constructor(
    private readonly most: number,
    private readonly takeFromStep: (characters: number) => void,
  ) {}

  /** @throws TemplateError TEMPLATE_TOO_LARGE */
  take(characters: number): void {
    this.taken += characters;
    if (this.taken > this.most) {
      throw new TemplateError(`A template gives more than ${this.most} characters.`, 'TEMPLATE_TOO_LARGE');
    }
    this.takeFromStep(characters);
  }

  /**
   * Counts a list or an object by the length of its JSON, with texts as they are before escapes. Stops at the limit, and
   * needs no recursion, so that neither a long nor a deep value costs more than the limit.
   * @throws TemplateError TEMPLATE_TOO_LARGE
   */
  takeJson(value: object): number {
    const before = this.taken;
    const pending: object[] = [value];
    for (let container = pending.pop(); container; container = pending.pop()) {
      // Brackets; each member adds a comma.
      this.take(2);
      const isList = Array.isArray(container);
      for (const [key, member] of Object.entries(container)) {
        if (!isList) this.take(key.length + 3);
        if (typeof member === 'object' && member !== null) {
          this.take(1);
          pending.push(member);
        } else {
          this.take(typeof member === 'string' ? member.length + 3 : String(member).length + 1);
        }
      }
    }
    return this.taken - before;
  }
}
