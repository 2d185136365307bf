"""condor_web: live pages of this pool. Only this folder imports starlette, uvicorn and jinja2."""
