import { Public } from '@crm/access';
import { ERRORS, type ErrorDefinition, isErrorCode, PlatformError } from '@crm/contracts';
import { Describe } from '@crm/http';
import { Controller, Get, Header, Param } from '@nestjs/common';

const slugOf = (code: string): string => code.toLowerCase().replaceAll('_', '-');

/** What the `type` of a problem document points to. */
@Controller('problems')
export class ProblemController {
  @Get()
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Describe({ summary: 'List the error codes', hidden: true })
  list(): string {
    const rows = Object.values<ErrorDefinition>(ERRORS).map(
      ({ code, status, title }) =>
        `<tr><td><a href="/problems/${slugOf(code)}"><code>${code}</code></a></td><td>${status}</td><td>${title}</td></tr>`,
    );
    return page('Errors', `<table><tr><th>code</th><th>status</th><th>meaning</th></tr>${rows.join('')}</table>`);
  }

  @Get(':slug')
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Describe({ summary: 'Explain an error code', hidden: true })
  read(@Param('slug') slug: string): string {
    const code = slug.toUpperCase().replaceAll('-', '_');
    if (!isErrorCode(code) || slugOf(code) !== slug) throw new PlatformError('NOT_FOUND');
    const { status, title, advice } = ERRORS[code];
    return page(
      code,
      `<p>HTTP status ${status}</p><h2>What it means</h2><p>${title}.</p><h2>What to do</h2><p>${advice}.</p><p><a href="/problems">All errors</a></p>`,
    );
  }
}

/** Nothing is escaped: all texts come from the catalogue. */
const page = (heading: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${heading}</title><h1>${heading}</h1>${content}</html>\n`;
