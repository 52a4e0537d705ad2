import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get, Query } from '@nestjs/common';
import { SearchService } from '../finding/search.service.js';
import { SearchQuery, SearchView } from './search.dto.js';

@ApiGroup({ name: 'Search', description: 'Records of all objects that have a text.' })
@Controller('api/crm/search')
// The scope depends on the object: the service searches those whose scope the token has.
@Access({ right: 'read', embed: true, app: true, key: true })
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @Get()
  @Describe({
    summary: 'Searches all objects',
    description:
      'The newest records whose fields have the text, as far as the caller can read objects and fields. Case and accents do not matter, nor does the country prefix of a phone number.',
    answers: [{ status: 200, description: 'The records', body: () => SearchView }],
    errors: ['QUERY_TOO_EXPENSIVE'],
  })
  find(@CurrentPrincipal() principal: Principal, @Query() query: SearchQuery): Promise<SearchView> {
    return this.search.find(principal, query);
  }
}
