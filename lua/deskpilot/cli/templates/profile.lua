-- How a family of models counts positions, and what it is to be sent. It is found by the names of `models`. This file
-- is data: it is read, never run. `deskpilot calibrate` measures a model and writes such a file; docs/models.md has all
-- that may stand here.
return {
  about = "the models of example",
  models = { "*example*" }, -- names as the server knows them; * stands for anything
  -- Positions are numbers from 0 to max, whatever the picture's size. Others are { kind = "pixels" } of the picture
  -- that is sent, and { kind = "resized", ... }, pixels of the picture as the model resizes it.
  space = { kind = "scaled", max = 1000 },
  order = "xy", -- which number of a point comes first
  picture = { width = 1280, height = 1280, format = "png" },
}
