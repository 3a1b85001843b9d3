// Errors of files, and of what users write or bring: settings, modes, exports, and sources of imports. A part of the error catalog.

export const fileErrors = {
  file_unusable: {
    status: 500,
    exitCode: 74,
    retryable: false,
    message: "A file cannot be read or written.",
    hint: "Check its path, and that it is yours. `mem doctor` checks the files of the memory.",
  },
  setting_unknown: {
    status: 404,
    exitCode: 64,
    retryable: false,
    message: "There is no such setting.",
    hint: "List settings: `mem settings list`.",
  },
  setting_invalid: {
    status: 400,
    exitCode: 65,
    retryable: false,
    message: "The setting does not accept this value.",
    hint: "List accepted values: `mem settings list --long`.",
  },
  settings_unreadable: {
    status: 503,
    exitCode: 78,
    retryable: false,
    message: "settings.json cannot be read.",
    hint: "Fix it with `mem settings edit`, or move it away: mem then writes the defaults.",
  },
  mode_unknown: {
    status: 404,
    exitCode: 64,
    retryable: false,
    message: "There is no such mode.",
    hint: "List modes: `mem mode list`.",
  },
  mode_invalid: {
    status: 409,
    exitCode: 65,
    retryable: false,
    message: "The mode's file is not a valid mode.",
    hint: "Fix the file; `mem mode show code --json` shows a valid one.",
  },
  excluded: {
    status: 409,
    exitCode: 65,
    retryable: false,
    message: "This project or path is excluded, so nothing was stored.",
    hint: "Excluded projects: `mem project list`. Excluded paths: `mem settings get MEM_EXCLUDE_PATHS`.",
  },
  export_invalid: {
    status: 409,
    exitCode: 65,
    retryable: false,
    message: "This is not an export, or it is damaged.",
    hint: "`mem export` writes one of a memory, `mem server export` one of a project on a server.",
  },
  import_unreadable: {
    status: 409,
    exitCode: 65,
    retryable: false,
    message: "This source cannot be imported.",
    hint: "List the sources: `mem import --help`.",
  },
} as const;
