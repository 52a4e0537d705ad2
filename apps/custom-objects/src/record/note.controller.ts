import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, type ExpectedVersions, entityTag, IdParam, IfMatch } from '@crm/http';
import { Body, Controller, Delete, Patch, Res } from '@nestjs/common';
import { ChangeNoteInput, NoteView } from '../timeline/note.dto.js';
import { NoteService } from '../timeline/note.service.js';
import type { Reply } from './record.dto.js';

@ApiGroup({ name: 'Notes', description: 'Notes on records: calls, meetings, emails, and anything else.' })
@Controller('api/crm/notes')
// The scope depends on the object of the record: the service requires it.
@Access({ right: 'write', embed: true, app: true, key: true })
export class NoteController {
  constructor(private readonly notes: NoteService) {}

  @Patch(':id')
  @Describe({
    summary: 'Update a note',
    description: 'Only the author or an admin can change it. Fields you leave out stay unchanged.',
    answers: [{ status: 200, description: 'The note', body: () => NoteView }],
    errors: ['INSUFFICIENT_SCOPE', 'FORBIDDEN'],
  })
  async change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input: ChangeNoteInput,
    @IfMatch() expected: ExpectedVersions,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<NoteView> {
    const note = await this.notes.change(principal, id, input, expected);
    reply.header('etag', entityTag(note.version));
    return note;
  }

  @Delete(':id')
  @Describe({
    summary: 'Delete a note',
    description: "Can't be undone. Only the author or an admin can delete it.",
    answers: [{ status: 204, description: 'The note is deleted' }],
    errors: ['INSUFFICIENT_SCOPE', 'FORBIDDEN'],
  })
  delete(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<void> {
    return this.notes.delete(principal, id, expected);
  }
}
