import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam } from '@crm/http';
import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import {
  ChangeSavedViewInput,
  CreateSavedViewInput,
  SavedViewListQuery,
  SavedViewListView,
  SavedViewView,
} from './saved-view.dto.js';
import { SavedViewService } from './saved-view.service.js';

// The scope depends on the object: the service requires it. An app has no views of its own.
const READ = { right: 'read', embed: true, key: true } as const;

@ApiGroup({
  name: 'Saved views',
  description:
    'Lists as somebody wants to see them again: filter, order and columns. Everyone has own ones, administrators share.',
})
@Controller('api/crm/views')
@Access(READ)
export class SavedViewController {
  constructor(private readonly views: SavedViewService) {}

  @Get()
  @Describe({
    summary: 'Lists the saved views of an object',
    description:
      "The caller's own and those that are shared. A shared one that filters or sorts by a field that the caller cannot read is left out, and so are columns; an own one is not usable.",
    answers: [{ status: 200, description: 'The views', body: () => SavedViewListView }],
    errors: ['NOT_FOUND'],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() { object }: SavedViewListQuery,
  ): Promise<SavedViewListView> {
    return { data: await this.views.list(principal, object) };
  }

  @Post()
  @Describe({
    summary: 'Saves a view',
    description: 'Everyone saves own views, 200 at most. Only administrators share one.',
    answers: [{ status: 201, description: 'The view', body: () => SavedViewView }],
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  })
  create(@CurrentPrincipal() principal: Principal, @Body() input: CreateSavedViewInput): Promise<SavedViewView> {
    return this.views.create(principal, input);
  }

  @Patch(':id')
  @Describe({
    summary: 'Changes a saved view',
    description:
      'An own one, as an administrator also one that is shared. What is left out stays as it is, and so do columns that the caller cannot see.',
    answers: [{ status: 200, description: 'The view', body: () => SavedViewView }],
    errors: ['FORBIDDEN'],
  })
  change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input: ChangeSavedViewInput,
  ): Promise<SavedViewView> {
    return this.views.change(principal, id, input);
  }

  @Delete(':id')
  @Describe({
    summary: 'Deletes a saved view',
    description: 'An own one, as an administrator also one that is shared.',
    answers: [{ status: 204, description: 'The view is deleted' }],
    errors: ['FORBIDDEN'],
  })
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    return this.views.delete(principal, id);
  }
}
