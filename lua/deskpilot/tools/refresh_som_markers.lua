local information = require "deskpilot.agent.information"

---@type deskpilot.tool
return information.tool {
  api = 1,
  name = "refresh_som_markers",
  fresh = true,
  description = "Look again, and see the screen with the number of each element drawn on it. The numbers that it tells "
    .. "count from then on.",
  run = function(ctx)
    local run = ctx.run
    local ok, err = run:observe()
    if not ok then return nil, err end
    local picture, why = run:picture { marks = true }
    if not picture then return nil, why end
    return { text = information.words(ctx, run.observation), pictures = { picture } }
  end,
}
