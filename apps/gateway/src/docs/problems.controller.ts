import { Public } from '@crm/access';
import { ERRORS, type ErrorDefinition, isErrorCode, PlatformError } from '@crm/contracts';
import { Describe } from '@crm/http';
import { Controller, Get, Header, Param } from '@nestjs/common';

const slugOf = (code: string): string => code.toLowerCase().replaceAll('_', '-');

/** The addresses that `type` of a problem document names: what a code means. */
@Controller('problems')
export class ProblemsController {
  @Get()
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Describe({ summary: 'The error catalogue', hidden: true })
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
  @Describe({ summary: 'What an error code means', hidden: true })
  read(@Param('slug') slug: string): string {
    const code = slug.toUpperCase().replaceAll('-', '_');
    if (!isErrorCode(code) || slugOf(code) !== slug) throw new PlatformError('NOT_FOUND');
    const { status, title } = ERRORS[code];
    return page(code, `<p>HTTP status ${status}. ${title}.</p><p><a href="/problems">All errors</a></p>`);
  }
}

/** Everything in it comes from the catalogue. */
const page = (heading: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${heading}</title><h1>${heading}</h1>${content}</html>\n`;
