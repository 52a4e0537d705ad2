import { Lexer, type Token, Tokenizer, type Tokens } from 'marked';

/** Levels of nesting: deeper than anybody writes, and far from what a stack holds. */
const DEEPEST = 100;

/**
 * Characters that a text may have looked through for the ends of emphasis that has none: each such mark looks through the rest of its
 * paragraph, so that a text made of them would take seconds. Fifty in the longest note.
 */
const MOST_LOOKED_THROUGH = 500_000;

/** A text in Markdown that takes too much to be shown as more than a text. */
class TooCostly extends Error {}

class BoundedTokenizer extends Tokenizer {
  private lookedThrough = 0;
  private depth = 0;

  override emStrong(source: string, masked: string, before = ''): Tokens.Em | Tokens.Strong | undefined {
    const token = super.emStrong(source, masked, before);
    if (!token && mayBegin(source, before)) this.lookedThrough += source.length;
    if (this.lookedThrough > MOST_LOOKED_THROUGH) throw new TooCostly();
    return token;
  }

  /** Each level looks through what is in it, before any deeper one ends. */
  override list(source: string): Tokens.List | undefined {
    this.depth += 1;
    if (this.depth > DEEPEST) throw new TooCostly();
    const token = super.list(source);
    this.depth -= 1;
    return token;
  }
}

/** Returns whether a mark of emphasis may begin some: `_` does not within a word. */
const mayBegin = (source: string, before: string): boolean =>
  source.startsWith('*') || (source.startsWith('_') && !/[\p{L}\p{N}]$/u.test(before));

/** A text in Markdown in its parts; undefined for one that is nested too deep, or takes too long, to be shown as more than a text. */
export function tokensOf(text: string): readonly Token[] | undefined {
  try {
    const tokens = new Lexer({ breaks: true, tokenizer: new BoundedTokenizer() }).lex(text);
    return isTooDeep(tokens) ? undefined : tokens;
  } catch (problem) {
    // A RangeError: the stack of the lexer is full.
    if (problem instanceof RangeError || problem instanceof TooCostly) return undefined;
    throw problem;
  }
}

const isTooDeep = (tokens: readonly Token[], depth = 0): boolean =>
  depth > DEEPEST || tokens.some((token) => isTooDeep(partsOf(token), depth + 1));

const partsOf = ({ items, tokens }: Tokens.Generic): readonly Token[] => items ?? tokens ?? [];
