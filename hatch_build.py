"""What a wheel has beside its packages: course.yaml within tinytorch, where its faces find it."""

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CourseHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        if version == "standard":  # an editable installation reads the repository's own
            build_data["force_include"]["course.yaml"] = "tinytorch/course.yaml"
