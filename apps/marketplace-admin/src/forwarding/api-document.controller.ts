import { Public } from '@crm/access';
import { Describe } from '@crm/http';
import { MergedDocument } from '@crm/runtime/proxy';
import { Controller, Get, Header } from '@nestjs/common';

/** One document of what the services serve here, and of the merged trail. */
@Controller('api/openapi.json')
export class ApiDocumentController {
  constructor(private readonly documents: MergedDocument) {}

  @Get()
  @Public()
  @Header('content-type', 'application/json; charset=utf-8')
  @Describe({ summary: 'Get this document', hidden: true })
  read(): Promise<string> {
    return this.documents.get();
  }
}
