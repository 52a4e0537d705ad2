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
  description: 'Saved filters, sorting, and columns for a list. Everyone can save views; admins can share them.',
})
@Controller('api/crm/views')
@Access(READ)
export class SavedViewController {
  constructor(private readonly views: SavedViewService) {}

  @Get()
  @Describe({
    summary: 'List the saved views of an object',
    description:
      "The caller's own views and shared ones. A shared view that filters or sorts by a field the caller can't read is left out, and such columns are hidden. An own view like that isn't usable.",
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
    summary: 'Save a view',
    description: 'Everyone can save up to 200 views. Only admins can share views.',
    answers: [{ status: 201, description: 'The view', body: () => SavedViewView }],
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  })
  create(@CurrentPrincipal() principal: Principal, @Body() input: CreateSavedViewInput): Promise<SavedViewView> {
    return this.views.create(principal, input);
  }

  @Patch(':id')
  @Describe({
    summary: 'Update a saved view',
    description:
      "Your own views; admins can also change shared ones. Fields you leave out and columns you can't see stay unchanged.",
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
    summary: 'Delete a saved view',
    description: 'Your own views; admins can also delete shared ones.',
    answers: [{ status: 204, description: 'The view is deleted' }],
    errors: ['FORBIDDEN'],
  })
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    return this.views.delete(principal, id);
  }
}
