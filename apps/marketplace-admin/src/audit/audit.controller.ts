import { Readable } from 'node:stream';
import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { AuditExportQuery, AuditListView, AuditQuery } from './audit.dto.js';
import { AuditService } from './audit.service.js';
import { FORMATS } from './audit-export.js';

/** For administrators; the services that keep the trail check the token again. */
@ApiGroup({
  name: 'Audit',
  description: 'What operators did: decisions, plans, operators and sign-ins. Entries are never changed or removed.',
})
@Controller('api/admin/audit')
@Access({ right: 'administer', proof: false })
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Describe({
    summary: 'Lists what operators did',
    description:
      'Who, in which role, when, what, why, what they had before them, and the state before and after. The list is not counted and goes on by `cursor`.',
    answers: [{ status: 200, description: 'The entries, newest first', body: () => AuditListView }],
  })
  list(@CurrentPrincipal() principal: Principal, @Query() query: AuditQuery): Promise<AuditListView> {
    return this.audit.list(principal, query);
  }

  @Get('export')
  @Describe({
    summary: 'Exports what operators did',
    description:
      'Every entry that fits the filter, newest first, as `application/x-ndjson` or `text/csv`. A cell that a spreadsheet would take for a formula begins with an apostrophe. An export that cannot be completed breaks off without the end of the transfer.',
    answers: [
      {
        status: 200,
        description: 'The entries',
        body: { type: 'string', description: 'Lines with an entry each' },
        mediaTypes: ['application/x-ndjson', 'text/csv'],
        example: '"id","at","operatorId"',
      },
    ],
  })
  async export(
    @CurrentPrincipal() principal: Principal,
    @Query() { format = 'ndjson', ...filter }: AuditExportQuery,
  ): Promise<StreamableFile> {
    const { type, head, line } = FORMATS[format];
    const entries = await this.audit.export(principal, filter);
    async function* lines(): AsyncGenerator<string> {
      if (head !== '') yield head;
      for await (const entry of entries) yield line(entry);
    }
    const disposition = `attachment; filename="operator-audit.${format}"`;
    return new StreamableFile(Readable.from(lines(), { objectMode: false }), { type, disposition });
  }
}
