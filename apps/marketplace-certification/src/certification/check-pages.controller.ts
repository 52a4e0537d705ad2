import { Public } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Describe } from '@crm/http';
import { checkListPage, checkPage } from '@crm/manifest';
import { Controller, Get, Header, Param } from '@nestjs/common';

/** The pages that findings link to (`docUrl`): what a check protects, and what to change. */
@Controller('docs/certification')
export class CheckPagesController {
  @Get()
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Describe({ summary: 'Lists the certification checks', hidden: true })
  list(): string {
    return checkListPage();
  }

  @Get(':id')
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Describe({ summary: 'Explains a certification check', hidden: true })
  read(@Param('id') id: string): string {
    const page = checkPage(id);
    if (page === undefined) throw new PlatformError('NOT_FOUND');
    return page;
  }
}
