import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get, Query } from '@nestjs/common';
import { SearchService } from '../finding/search.service.js';
import { SearchQuery, SearchView } from './search.dto.js';

@ApiGroup({ name: 'Search', description: 'Search across the records of all objects.' })
@Controller('api/crm/search')
// The scope depends on the object: the service searches those whose scope the token has.
@Access({ right: 'read', embed: true, app: true, key: true })
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @Get()
  @Describe({
    summary: 'Search all objects',
    description:
      'Returns the newest records that contain the text in objects and fields that the caller can read. Ignores case, accents, and the country prefix of phone numbers.',
    answers: [{ status: 200, description: 'The records', body: () => SearchView }],
    errors: ['QUERY_TOO_EXPENSIVE'],
  })
  find(@CurrentPrincipal() principal: Principal, @Query() query: SearchQuery): Promise<SearchView> {
    return this.search.find(principal, query);
  }
}
