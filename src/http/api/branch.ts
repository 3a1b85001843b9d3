// The branch of an installation from a git checkout.
import type { App } from "../plugins/zod.ts";
import {
  type BranchStatus,
  type BranchSwitched,
  type BranchUpdated,
  branchStatus,
  branchSwitchBody,
  branchSwitched,
  branchUpdateBody,
  branchUpdated,
} from "../schemas/branch.ts";
import { changeErrors, errorBody, readErrors } from "../schemas/error.ts";

/** The checkout that the package's files are in. */
export interface BranchPorts {
  status(): Promise<BranchStatus>;
  /** Throws `invalid_request` for a name of the wrong form, `not_found`, and `conflict`. */
  switchTo(branch: string): Promise<BranchSwitched>;
  /** Fast-forwards to the remote branch. Throws `conflict`. */
  update(): Promise<BranchUpdated>;
}

/** `GET /api/branch/status`, `POST /api/branch/switch`, `POST /api/branch/update`. */
export function branchRoutes(app: App, ports: BranchPorts): void {
  const errors = { ...changeErrors, 409: errorBody };
  app.get(
    "/api/branch/status",
    {
      schema: {
        summary: "The branch of the checkout that mem runs from, or the version of the package.",
        response: { 200: branchStatus, ...readErrors, 409: errorBody },
      },
    },
    () => ports.status(),
  );
  app.post(
    "/api/branch/switch",
    {
      schema: {
        summary: "Switch the checkout to another branch; refused while it has uncommitted changes.",
        body: branchSwitchBody,
        response: { 200: branchSwitched, ...errors },
      },
    },
    ({ body }) => ports.switchTo(body.branch),
  );
  app.post(
    "/api/branch/update",
    {
      schema: {
        summary: "Fast-forward the checkout to its remote branch.",
        body: branchUpdateBody,
        response: { 200: branchUpdated, ...errors },
      },
    },
    () => ports.update(),
  );
}
