import { lexer, type Token, type Tokens } from 'marked';

/** Levels of nesting: deeper than anybody writes, and far from what a stack holds. */
const DEEPEST = 100;

/** A text in Markdown in its parts; undefined for one that is nested too deep to be shown as more than a text. */
export function tokensOf(text: string): readonly Token[] | undefined {
  try {
    const tokens = lexer(text, { breaks: true });
    return isTooDeep(tokens) ? undefined : tokens;
  } catch (problem) {
    // The stack of the lexer is full.
    if (problem instanceof RangeError) return undefined;
    throw problem;
  }
}

const isTooDeep = (tokens: readonly Token[], depth = 0): boolean =>
  depth > DEEPEST || tokens.some((token) => isTooDeep(partsOf(token), depth + 1));

const partsOf = ({ items, tokens }: Tokens.Generic): readonly Token[] => items ?? tokens ?? [];
