/**
 * The tenant of the platform itself, to which operators belong. Their accounts, sessions and second factors lie in the tables
 * of those of users, kept apart by the same policy, so that one implementation serves both (decision record 0179). No
 * workspace can have this id: the ids of workspaces are UUIDv7 of the present.
 */
export const PLATFORM_TENANT = '00000000-0000-7000-8000-000000000001';
