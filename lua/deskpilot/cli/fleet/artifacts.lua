--- What a worker is told of artifacts: where they are brought to, and how long what workers have made is kept.
local delivery = require "deskpilot.fleet.artifact_delivery"
local files = require "deskpilot.base.files"
local fleet_options = require "deskpilot.cli.fleet_options"
local kept_runs = require "deskpilot.fleet.kept_runs"

local artifacts = {}

local MOST_DAYS = 36500

--- What the command line says of where they go; it is seen whether that can be.
---@param options table
---@return deskpilot.fleet.artifact_plan? plan, string? why
function artifacts.read(options)
  if not options.artifacts then
    for _, name in ipairs { "artifacts-token", "artifacts-ca", "artifacts-mb", "artifacts-patience",
      "keep-artifacts" } do
      if options[(name:gsub("-", "_"))] then
        return nil, ("--%s is of use only where --artifacts PLACE says where they go"):format(name)
      end
    end
    return nil
  end
  local place, err = delivery.place(options.artifacts, options.artifacts_token, options.artifacts_ca)
  if not place then return nil, tostring(err) end
  local megabytes, why = fleet_options.number(options, "artifacts-mb", delivery.default.most >> 20, 1 << 20)
  if not megabytes then return nil, why end
  local patience
  patience, why = fleet_options.number(options, "artifacts-patience", delivery.default.patience, 24 * 3600)
  if not patience then return nil, why end
  local folder = files.is_folder(options.artifacts)
  return { place = folder and files.absolute(options.artifacts) or options.artifacts, folder = folder,
    token = options.artifacts_token and files.absolute(options.artifacts_token),
    ca = options.artifacts_ca and files.absolute(options.artifacts_ca), megabytes = megabytes, patience = patience }
end

--- How long what workers have made is kept.
---@param options table
---@param plan deskpilot.fleet.artifact_plan?
---@return deskpilot.fleet.kept[]? list, string? why
function artifacts.read_keep(options, plan)
  local list = {}
  if options.keep_runs then
    local days, why = fleet_options.number(options, "keep-runs", 0, MOST_DAYS)
    if not days then return nil, why end
    list[#list + 1] = { base = files.absolute(options.runs or "runs"), mark = kept_runs.marks.runs, days = days }
  end
  if options.keep_artifacts then
    local days, why = fleet_options.number(options, "keep-artifacts", 0, MOST_DAYS)
    if not days then return nil, why end
    if not (plan and plan.folder) then
      return nil, "--keep-artifacts clears a folder; object storage has rules of its own for what is old (lifecycle)"
    end
    list[#list + 1] = { base = plan.place, mark = kept_runs.marks.artifacts, days = days }
  end
  return list
end

return artifacts
