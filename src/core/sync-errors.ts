// Errors of device sync and of sharing with a team, a part of the error catalog. A device tells them apart by their codes.

/** Refusals of a hub, and failures of a team's server. `details.index` names the operation where one is to blame. */
export const syncErrors = {
  account_mismatch: {
    status: 403,
    exitCode: 77,
    retryable: false,
    message: "The token belongs to another account than X-User-Id names.",
    hint: "Use the account id and a token that belong together: `mem hub account list`.",
  },
  device_mismatch: {
    status: 403,
    exitCode: 77,
    retryable: false,
    message: "An operation names another device than X-Device-Id.",
    hint: "A device pushes only the operations that it wrote.",
  },
  device_taken: {
    status: 403,
    exitCode: 77,
    retryable: false,
    message: "A record names a device that shares with another secret. Nothing of the request was stored.",
    hint: "Share the record at `details.index` from its own device, which sends its X-Device-Secret.",
  },
  device_conflict: {
    status: 409,
    exitCode: 65,
    retryable: false,
    message: "Another data directory uses this device id.",
    hint: "Take a new device id: this data directory is a copy, or the other one is.",
  },
  device_limit_exceeded: {
    status: 409,
    exitCode: 65,
    retryable: false,
    message: "The account has 64 devices, and no more can join.",
    hint: "Remove one on the hub: `mem hub account devices <account> --remove <device>`.",
  },
  epoch_changed: {
    status: 409,
    exitCode: 65,
    retryable: false,
    message: "The hub started a new log for this account.",
    hint: "Read the new log from its beginning, then push again with its epoch.",
  },
  revision_conflict: {
    status: 409,
    exitCode: 65,
    retryable: false,
    message: "The hub has this revision with other content. Nothing of the push was stored.",
    hint: "Leave the operation at `details.index` out, and push a higher revision of its record.",
  },
  deleted: {
    status: 409,
    exitCode: 65,
    retryable: false,
    message: "The record was deleted. Nothing of the push was stored.",
    hint: "Leave the operation at `details.index` out: deleted records do not come back.",
  },
  hub_refused: {
    status: 403,
    exitCode: 77,
    retryable: false,
    message: "The hub refuses the token.",
    hint: "Make a token on the hub: `mem hub account token <account>`.",
  },
  hub_unreachable: {
    status: 502,
    exitCode: 69,
    retryable: true,
    message: "The hub cannot be reached.",
    hint: "Try again when the hub answers.",
  },
  passphrase_wrong: {
    status: 403,
    exitCode: 77,
    retryable: false,
    message: "This is not the passphrase of the account.",
    hint: "Nothing was changed. Try again; without the passphrase, `mem sync setup --recovery` asks for the recovery phrase.",
  },
  team_server_failed: {
    status: 502,
    exitCode: 69,
    retryable: true,
    message: "The team's server did not answer.",
    hint: "See `mem server connect`.",
  },
} as const;
