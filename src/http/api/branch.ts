// The branch of an installation from a git checkout.
import { route } from "../plugins/route.ts";
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
  route(app, "GET /api/branch/status", {
    summary: "The branch of the checkout that mem runs from, or the version of the package.",
    response: { 200: branchStatus, ...readErrors, 409: errorBody },
    handler: () => ports.status(),
  });
  route(app, "POST /api/branch/switch", {
    summary: "Switch the checkout to another branch; refused while it has uncommitted changes.",
    body: branchSwitchBody,
    response: { 200: branchSwitched, ...errors },
    handler: ({ body }) => ports.switchTo(body.branch),
  });
  route(app, "POST /api/branch/update", {
    summary: "Fast-forward the checkout to its remote branch.",
    body: branchUpdateBody,
    response: { 200: branchUpdated, ...errors },
    handler: () => ports.update(),
  });
}
