import { Anchor, Code } from '@mantine/core';
import type { Token, Tokens } from 'marked';
import { Fragment, type ReactNode, useMemo } from 'react';
import { tokensOf } from './markdown-tokens.js';

/**
 * A text in Markdown as elements. HTML in it is text like any other: nothing of a note is ever read as HTML, and links lead to
 * addresses of the web and of mail alone.
 */
export function Markdown({ text }: { readonly text: string }) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  return <div className="markdown">{tokens ? shown(tokens) : <p style={{ whiteSpace: 'pre-wrap' }}>{text}</p>}</div>;
}

const shown = (tokens: readonly Token[] = []): ReactNode =>
  // Tokens are made of the text alone, and never move.
  tokens.map((token, index) => <Fragment key={index}>{elementOf(token)}</Fragment>);

function elementOf(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
      return null;
    case 'paragraph':
    // A heading of a note is none of the page.
    case 'heading':
      return <p>{token.type === 'heading' ? <strong>{shown(token.tokens)}</strong> : shown(token.tokens)}</p>;
    case 'strong':
      return <strong>{shown(token.tokens)}</strong>;
    case 'em':
      return <em>{shown(token.tokens)}</em>;
    case 'del':
      return <del>{shown(token.tokens)}</del>;
    case 'br':
      return <br />;
    case 'hr':
      return <hr />;
    case 'codespan':
      return <Code>{token.text}</Code>;
    case 'code':
      return <Code block>{token.text}</Code>;
    case 'blockquote':
      return <blockquote>{shown(token.tokens)}</blockquote>;
    case 'list':
      return listOf(token as Tokens.List);
    case 'link':
      return isSafe(token.href) ? (
        <Anchor href={token.href} target="_blank" rel="noopener noreferrer nofollow" inherit>
          {shown(token.tokens)}
        </Anchor>
      ) : (
        token.raw
      );
    case 'text':
      return token.tokens ? shown(token.tokens) : token.text;
    case 'escape':
      return token.text;
    case 'checkbox':
      return null;
    // HTML, pictures, which would be loaded from anywhere, and what else there is: as it was written.
    default:
      return token.raw;
  }
}

function listOf({ ordered, items, start }: Tokens.List): ReactNode {
  const rows = items.map(({ tokens, task, checked }, index) => (
    <li key={index}>
      {task ? `${checked ? '☑' : '☐'} ` : null}
      {shown(tokens)}
    </li>
  ));
  return ordered ? <ol start={start || 1}>{rows}</ol> : <ul>{rows}</ul>;
}

const isSafe = (href: string): boolean => /^(https?:\/\/|mailto:)/i.test(href);
